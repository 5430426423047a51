# SPDX-License-Identifier: Apache-2.0
"""The public names of torch in which ops are looked up, so that a misspelling is noticed without torch.

Those of torch 2.9 and of the release before it. A name that is not here may exist in another torch: it is a warning.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

_NAMES: Mapping[str, str] = {
    "torch": """
        abs abs_ absolute acos acos_ acosh acosh_ adaptive_avg_pool1d adaptive_max_pool1d add addbmm addcdiv
        addcmul addmm addmv addmv_ addr adjoint affine_grid_generator alias_copy align_tensors all allclose
        alpha_dropout alpha_dropout_ amax amin aminmax angle any arange arccos arccos_ arccosh arccosh_ arcsin
        arcsin_ arcsinh arcsinh_ arctan arctan2 arctan_ arctanh arctanh_ are_deterministic_algorithms_enabled
        argmax argmin argsort argwhere as_strided as_strided_ as_strided_copy as_strided_scatter as_tensor
        asarray asin asin_ asinh asinh_ atan atan2 atan_ atanh atanh_ atleast_1d atleast_2d atleast_3d autocast
        autocast_decrement_nesting autocast_increment_nesting avg_pool1d baddbmm bartlett_window batch_norm
        batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
        batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats bernoulli bilinear
        binary_cross_entropy_with_logits bincount binomial bitwise_and bitwise_left_shift bitwise_not bitwise_or
        bitwise_right_shift bitwise_xor blackman_window block_diag bmm broadcast_shapes broadcast_tensors
        broadcast_to bucketize can_cast cartesian_prod cat ccol_indices_copy cdist ceil ceil_ celu celu_
        chain_matmul channel_shuffle cholesky cholesky_inverse cholesky_solve choose_qparams_optimized chunk
        clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ classproperty clear_autocast_cache clip clip_
        clone col_indices_copy column_stack combinations compile compiled_with_cxx11_abi complex concat
        concatenate cond conj conj_physical conj_physical_ constant_pad_nd conv1d conv2d conv3d conv_tbc
        conv_transpose1d conv_transpose2d conv_transpose3d convolution copysign corrcoef cos cos_ cosh cosh_
        cosine_embedding_loss cosine_similarity count_nonzero cov cross crow_indices_copy ctc_loss
        cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu
        cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable cummax cummin
        cumprod cumsum cumulative_trapezoid deg2rad deg2rad_ dequantize det detach detach_ detach_copy device
        diag diag_embed diagflat diagonal diagonal_copy diagonal_scatter diff digamma dist div divide dot
        dropout dropout_ dsmm dsplit dstack dtype eig einsum embedding embedding_bag embedding_renorm_ empty
        empty_like empty_permuted empty_quantized empty_strided enable_grad eq equal erf erf_ erfc erfc_ erfinv
        exp exp2 exp2_ exp_ expand_copy expm1 expm1_ eye fake_quantize_per_channel_affine
        fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation
        fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight
        fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix feature_alpha_dropout feature_alpha_dropout_
        feature_dropout feature_dropout_ fill fill_ finfo fix fix_ flatten flip fliplr flipud float_power floor
        floor_ floor_divide fmax fmin fmod fork frac frac_ frexp frobenius_norm from_dlpack from_file from_numpy
        frombuffer full full_like fused_moving_avg_obs_fake_quant gather gcd gcd_ ge geqrf ger
        get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype
        get_autocast_xla_dtype get_default_device get_default_dtype get_deterministic_debug_mode get_device
        get_device_module get_file_path get_float32_matmul_precision get_num_interop_threads get_num_threads
        get_rng_state gradient greater greater_equal grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru
        gru_cell gt hamming_window hann_window hardshrink hash_tensor heaviside hinge_embedding_loss histc
        histogram histogramdd hsmm hsplit hspmm hstack hypot i0 i0_ igamma igammac iinfo imag import_ir_module
        import_ir_module_from_buffer index_add index_copy index_fill index_put index_put_ index_reduce
        index_select indices_copy inference_mode init_num_threads initial_seed inner instance_norm int_repr
        inverse is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled
        is_autocast_cpu_enabled is_autocast_enabled is_autocast_ipu_enabled is_autocast_xla_enabled is_complex
        is_conj is_deterministic_algorithms_warn_only_enabled is_distributed is_floating_point is_grad_enabled
        is_inference is_inference_mode_enabled is_neg is_nonzero is_same_size is_signed is_storage is_tensor
        is_vulkan_available is_warn_always_enabled isclose isfinite isin isinf isnan isneginf isposinf isreal
        istft kaiser_window kl_div kron kthvalue layer_norm layout lcm lcm_ ldexp ldexp_ le lerp less less_equal
        lgamma linspace load lobpcg log log10 log10_ log1p log1p_ log2 log2_ log_ log_softmax logaddexp
        logaddexp2 logcumsumexp logdet logical_and logical_not logical_or logical_xor logit logit_ logspace
        logsumexp lstm lstm_cell lstsq lt lu lu_solve lu_unpack manual_seed margin_ranking_loss masked_fill
        masked_scatter masked_select matmul matrix_exp matrix_power matrix_rank max max_pool1d
        max_pool1d_with_indices max_pool2d max_pool3d maximum mean median memory_format
        merge_type_from_type_comment meshgrid min minimum miopen_batch_norm miopen_convolution
        miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss
        miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d mkldnn_convolution
        mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer mm mode moveaxis
        movedim msort mul multinomial multiply mv mvlgamma nan_to_num nan_to_num_ nanmean nanmedian nanquantile
        nansum narrow narrow_copy native_batch_norm native_channel_shuffle native_dropout native_group_norm
        native_layer_norm native_norm ne neg neg_ negative negative_ nextafter no_grad nonzero nonzero_static
        norm norm_except_dim normal not_equal nuclear_norm numel ones ones_like orgqr ormqr outer
        pairwise_distance parse_ir parse_schema parse_type_comment pca_lowrank pdist permute permute_copy
        pinverse pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma positive pow prelu
        prepare_multiprocessing_environment prod profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 promote_types
        put q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qr qscheme
        quantile quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm
        quantized_gru quantized_gru_cell quantized_lstm quantized_lstm_cell quantized_max_pool1d
        quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell quantized_rnn_tanh_cell rad2deg
        rad2deg_ rand rand_like randint randint_like randn randn_like randperm range ravel read_vitals real
        reciprocal reciprocal_ relu relu_ remainder renorm repeat_interleave reshape resize_as_
        resize_as_sparse_ resolve_conj resolve_neg result_type rms_norm rnn_relu rnn_relu_cell rnn_tanh
        rnn_tanh_cell roll rot90 round round_ row_indices_copy row_stack rrelu rrelu_ rsqrt rsqrt_ rsub saddmm
        save scalar_tensor scatter scatter_add scatter_reduce searchsorted seed segment_reduce select
        select_copy select_scatter selu selu_ set_anomaly_enabled set_autocast_cache_enabled
        set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled
        set_autocast_gpu_dtype set_autocast_ipu_dtype set_autocast_ipu_enabled set_autocast_xla_dtype
        set_autocast_xla_enabled set_default_device set_default_dtype set_default_tensor_type
        set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal set_grad_enabled
        set_num_interop_threads set_num_threads set_printoptions set_rng_state set_vital set_warn_always sgn
        sigmoid sigmoid_ sign signbit sin sin_ sinc sinc_ sinh sinh_ slice_copy slice_inverse slice_scatter
        slogdet smm softmax solve sort sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor
        sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor split split_copy split_with_sizes
        split_with_sizes_copy spmm sqrt sqrt_ square square_ squeeze squeeze_copy sspaddmm stack std std_mean
        stft sub subtract sum svd svd_lowrank swapaxes swapdims sym_constrain_range sym_constrain_range_for_size
        sym_float sym_fresh_size sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum symeig t t_copy take
        take_along_dim tan tan_ tanh tanh_ tensor tensor_split tensordot thread_safe_generator threshold
        threshold_ tile to_dlpack topk trace transpose transpose_copy trapezoid trapz triangular_solve tril
        tril_indices triplet_margin_loss triu triu_indices true_divide trunc trunc_ typename unbind unbind_copy
        unflatten unfold_copy unify_type_list unique unique_consecutive unravel_index unsafe_chunk unsafe_split
        unsafe_split_with_sizes unsqueeze unsqueeze_copy use_deterministic_algorithms values_copy vander var
        var_mean vdot view_as_complex view_as_complex_copy view_as_real view_as_real_copy view_copy
        vitals_enabled vmap vsplit vstack wait where while_loop xlogy xlogy_ zero_ zeros zeros_like
    """,
    "torch.Tensor": """
        abs abs_ absolute absolute_ acos acos_ acosh acosh_ add add_ addbmm addbmm_ addcdiv addcdiv_ addcmul
        addcmul_ addmm addmm_ addmv addmv_ addr addr_ adjoint align_as align_to all allclose amax amin aminmax
        angle any apply_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan2_
        arctan_ arctanh arctanh_ argmax argmin argsort argwhere as_strided as_strided_ as_strided_scatter
        as_subclass asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ backward baddbmm baddbmm_
        bernoulli bernoulli_ bfloat16 bincount bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_
        bitwise_not bitwise_not_ bitwise_or bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor
        bitwise_xor_ bmm bool broadcast_to byte cauchy_ ccol_indices cdouble ceil ceil_ cfloat chalf char
        cholesky cholesky_inverse cholesky_solve chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_
        clip clip_ clone coalesce col_indices conj conj_physical conj_physical_ const_data_ptr contiguous copy_
        copysign copysign_ corrcoef cos cos_ cosh cosh_ count_nonzero cov cpu cross crow_indices cuda cummax
        cummin cumprod cumprod_ cumsum cumsum_ data_ptr deg2rad deg2rad_ dense_dim dequantize det detach detach_
        diag diag_embed diagflat diagonal diagonal_scatter diff digamma digamma_ dim dim_order dist div div_
        divide divide_ dot double dsplit eig element_size eq eq_ equal erf erf_ erfc erfc_ erfinv erfinv_ exp
        exp2 exp2_ exp_ expand expand_as expm1 expm1_ exponential_ fill_ fill_diagonal_ fix fix_ flatten flip
        fliplr flipud float float_power float_power_ floor floor_ floor_divide floor_divide_ fmax fmin fmod
        fmod_ frac frac_ frexp gather gcd gcd_ ge ge_ geometric_ geqrf ger get_device greater greater_
        greater_equal greater_equal_ gt gt_ half hardshrink has_names hash_tensor heaviside heaviside_ histc
        histogram hsplit hypot hypot_ i0 i0_ igamma igamma_ igammac igammac_ index index_add index_add_
        index_copy index_copy_ index_fill index_fill_ index_put index_put_ index_reduce index_reduce_
        index_select indices inner int int_repr inverse ipu is_coalesced is_complex is_conj is_contiguous
        is_distributed is_floating_point is_inference is_neg is_nonzero is_pinned is_same_size is_set_to
        is_shared is_signed isclose isfinite isinf isnan isneginf isposinf isreal istft item kron kthvalue lcm
        lcm_ ldexp ldexp_ le le_ lerp lerp_ less less_ less_equal less_equal_ lgamma lgamma_ log log10 log10_
        log1p log1p_ log2 log2_ log_ log_normal_ log_softmax logaddexp logaddexp2 logcumsumexp logdet
        logical_and logical_and_ logical_not logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit
        logit_ logsumexp long lstsq lt lt_ lu lu_solve map2_ map_ masked_fill masked_fill_ masked_scatter
        masked_scatter_ masked_select matmul matrix_exp matrix_power max maximum mean median min minimum mm mode
        module_load moveaxis movedim msort mtia mul mul_ multinomial multiply multiply_ mv mvlgamma mvlgamma_
        nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy ndimension ne ne_ neg
        neg_ negative negative_ nelement new new_empty new_empty_strided new_full new_ones new_tensor new_zeros
        nextafter nextafter_ nonzero nonzero_static norm normal_ not_equal not_equal_ numel numpy orgqr ormqr
        outer permute pin_memory pinverse polygamma polygamma_ positive pow pow_ prelu prod put put_
        q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qr qscheme
        quantile rad2deg rad2deg_ random_ ravel reciprocal reciprocal_ record_stream refine_names register_hook
        register_post_accumulate_grad_hook reinforce relu relu_ remainder remainder_ rename rename_ renorm
        renorm_ repeat repeat_interleave requires_grad_ reshape reshape_as resize resize_ resize_as resize_as_
        resize_as_sparse_ resolve_conj resolve_neg retain_grad roll rot90 round round_ row_indices rsqrt rsqrt_
        scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ select select_scatter set_ sgn
        sgn_ share_memory_ short sigmoid sigmoid_ sign sign_ signbit sin sin_ sinc sinc_ sinh sinh_ size
        slice_inverse slice_scatter slogdet smm softmax solve sort sparse_dim sparse_mask sparse_resize_
        sparse_resize_and_clear_ split split_with_sizes sqrt sqrt_ square square_ squeeze squeeze_ sspaddmm std
        stft storage storage_offset storage_type stride sub sub_ subtract subtract_ sum sum_to_size svd swapaxes
        swapaxes_ swapdims swapdims_ symeig t t_ take take_along_dim tan tan_ tanh tanh_ tensor_split tile to
        to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc
        to_sparse_csr tolist topk trace transpose transpose_ triangular_solve tril tril_ triu triu_ true_divide
        true_divide_ trunc trunc_ type type_as unbind unflatten unfold uniform_ unique unique_consecutive
        unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_ untyped_storage values var vdot
        view view_as vsplit where xlogy xlogy_ xpu zero_
    """,
    "torch.nn.functional": """
        adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
        adaptive_max_pool1d_with_indices adaptive_max_pool2d adaptive_max_pool2d_with_indices
        adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid alpha_dropout assert_int_or_pair
        avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear binary_cross_entropy
        binary_cross_entropy_with_logits boolean_dispatch celu celu_ channel_shuffle conv1d conv2d conv3d
        conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity
        cross_entropy ctc_loss dropout dropout1d dropout2d dropout3d elu elu_ embedding embedding_bag
        feature_alpha_dropout fold fractional_max_pool2d fractional_max_pool2d_with_indices
        fractional_max_pool3d fractional_max_pool3d_with_indices gaussian_nll_loss gelu glu grid_sample
        group_norm grouped_mm gumbel_softmax handle_torch_function hardshrink hardsigmoid hardswish hardtanh
        hardtanh_ has_torch_function has_torch_function_unary has_torch_function_variadic hinge_embedding_loss
        huber_loss instance_norm interpolate kl_div l1_loss layer_norm leaky_relu leaky_relu_ linear
        linear_cross_entropy local_response_norm log_softmax logsigmoid lp_pool1d lp_pool2d lp_pool3d
        margin_ranking_loss max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d
        max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d mish mse_loss
        multi_head_attention_forward multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss
        native_channel_shuffle nll_loss normalize one_hot pad pairwise_distance pdist pixel_shuffle
        pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_ rms_norm rrelu rrelu_
        scaled_dot_product_attention scaled_grouped_mm scaled_mm selu selu_ sigmoid silu smooth_l1_loss
        soft_margin_loss softmax softmin softplus softshrink softsign tanh tanhshrink threshold threshold_
        triplet_margin_loss triplet_margin_with_distance_loss unfold upsample upsample_bilinear upsample_nearest
    """,
    "torch.special": """
        airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t chebyshev_polynomial_u
        chebyshev_polynomial_v chebyshev_polynomial_w digamma entr erf erfc erfcx erfinv exp2 expit expm1
        gammainc gammaincc gammaln hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e
        laguerre_polynomial_l legendre_polynomial_p log1p log_ndtr log_softmax logit logsumexp
        modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 multigammaln ndtr ndtri
        polygamma psi round scaled_modified_bessel_k0 scaled_modified_bessel_k1 shifted_chebyshev_polynomial_t
        shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w sinc
        softmax spherical_bessel_j0 xlog1py xlogy zeta
    """,
    "torch.linalg": """
        cholesky cholesky_ex cond cross det diagonal eig eigh eigvals eigvalsh householder_product inv inv_ex
        ldl_factor ldl_factor_ex ldl_solve lstsq lu lu_factor lu_factor_ex lu_solve matmul matrix_exp
        matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet solve solve_ex solve_triangular svd
        svdvals tensorinv tensorsolve vander vecdot vector_norm
    """,
    "torch.fft": """
        fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift ihfft ihfft2 ihfftn irfft
        irfft2 irfftn rfft rfft2 rfftfreq rfftn
    """,
    "torch.functional": """
        align_tensors atleast_1d atleast_2d atleast_3d block_diag boolean_dispatch broadcast_shapes
        broadcast_tensors cartesian_prod cdist chain_matmul einsum handle_torch_function has_torch_function
        has_torch_function_unary has_torch_function_variadic istft lu meshgrid norm overload pca_lowrank split
        stft svd_lowrank tensordot unique unique_consecutive unravel_index
    """,
    "torch.ops.aten": """
        abs abs_ absolute absolute_ acos acos_ acosh acosh_ adaptive_avg_pool1d adaptive_avg_pool2d
        adaptive_avg_pool3d adaptive_avg_pool3d_backward adaptive_max_pool1d adaptive_max_pool2d
        adaptive_max_pool2d_backward adaptive_max_pool3d adaptive_max_pool3d_backward add add_ addbmm addbmm_
        addcdiv addcdiv_ addcmul addcmul_ addmm addmm_ addmv addmv_ addr addr_ adjoint affine_grid_generator
        affine_grid_generator_backward alias alias_copy align_as align_tensors align_to all allclose
        alpha_dropout alpha_dropout_ amax amin aminmax angle any arange arccos arccos_ arccosh arccosh_ arcsin
        arcsin_ arcsinh arcsinh_ arctan arctan2 arctan2_ arctan_ arctanh arctanh_ argmax argmin argsort argwhere
        as_strided as_strided_ as_strided_copy as_strided_scatter asin asin_ asinh asinh_ atan atan2 atan2_
        atan_ atanh atanh_ atleast_1d atleast_2d atleast_3d avg_pool1d avg_pool2d avg_pool2d_backward avg_pool3d
        avg_pool3d_backward baddbmm baddbmm_ bartlett_window batch_norm batch_norm_backward
        batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
        batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats bernoulli bernoulli_
        bilinear binary_cross_entropy binary_cross_entropy_backward binary_cross_entropy_with_logits bincount
        binomial bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_
        bitwise_or bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ blackman_window
        block_diag bmm broadcast_tensors broadcast_to bucketize can_cast cartesian_prod cat cauchy cauchy_
        ccol_indices ccol_indices_copy cdist ceil ceil_ celu celu_ chain_matmul chalf channel_shuffle cholesky
        cholesky_inverse cholesky_solve choose_qparams_optimized chunk clamp clamp_ clamp_max clamp_max_
        clamp_min clamp_min_ clip clip_ clone coalesce col2im col_indices col_indices_copy column_stack
        combinations complex concat concatenate conj conj_physical conj_physical_ constant_pad_nd contiguous
        conv1d conv2d conv3d conv_depthwise3d conv_tbc conv_tbc_backward conv_transpose1d conv_transpose2d
        conv_transpose3d convolution convolution_backward convolution_backward_overrideable
        convolution_overrideable copy copy_ copy_sparse_to_sparse copy_sparse_to_sparse_ copysign copysign_
        corrcoef cos cos_ cosh cosh_ cosine_embedding_loss cosine_similarity count_nonzero cov cross
        cross_entropy_loss crow_indices crow_indices_copy ctc_loss cudnn_affine_grid_generator
        cudnn_affine_grid_generator_backward cudnn_batch_norm cudnn_batch_norm_backward cudnn_convolution
        cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler
        cudnn_grid_sampler_backward cudnn_is_acceptable cummax cummaxmin_backward cummin cumprod cumprod_
        cumprod_backward cumsum cumsum_ cumulative_trapezoid data deg2rad deg2rad_ dense_dim dequantize det
        detach detach_ detach_copy diag diag_embed diagflat diagonal diagonal_backward diagonal_copy
        diagonal_scatter diff digamma digamma_ dim dist div div_ divide divide_ dot dropout dropout_ dsplit
        dstack einsum elu elu_ elu_backward embedding embedding_backward embedding_bag embedding_dense_backward
        embedding_renorm embedding_renorm_ embedding_sparse_backward empty empty_like empty_permuted
        empty_quantized empty_strided eq eq_ equal erf erf_ erfc erfc_ erfinv erfinv_ exp exp2 exp2_ exp_ expand
        expand_as expand_copy expm1 expm1_ exponential exponential_ eye fake_quantize_per_channel_affine
        fake_quantize_per_channel_affine_cachemask fake_quantize_per_channel_affine_cachemask_backward
        fake_quantize_per_tensor_affine fake_quantize_per_tensor_affine_cachemask
        fake_quantize_per_tensor_affine_cachemask_backward fbgemm_linear_fp16_weight
        fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight
        fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16
        fbgemm_pack_quantized_matrix feature_alpha_dropout feature_alpha_dropout_ feature_dropout
        feature_dropout_ fft_fft fft_fft2 fft_fftfreq fft_fftn fft_fftshift fft_hfft fft_hfft2 fft_hfftn
        fft_ifft fft_ifft2 fft_ifftn fft_ifftshift fft_ihfft fft_ihfft2 fft_ihfftn fft_irfft fft_irfft2
        fft_irfftn fft_rfft fft_rfft2 fft_rfftfreq fft_rfftn fill fill_ fill_diagonal_ fix fix_ flatten
        flatten_dense_tensors flip fliplr flipud float_power float_power_ floor floor_ floor_divide
        floor_divide_ fmax fmin fmod fmod_ frac frac_ fractional_max_pool2d fractional_max_pool2d_backward
        fractional_max_pool3d fractional_max_pool3d_backward frexp frobenius_norm from_file full full_like
        fused_moving_avg_obs_fake_quant gather gather_backward gcd gcd_ ge ge_ gelu gelu_ gelu_backward
        geometric geometric_ geqrf ger get_device get_gradients glu glu_backward glu_backward_jvp glu_jvp
        gradient greater greater_ greater_equal greater_equal_ grid_sampler grid_sampler_2d
        grid_sampler_2d_backward grid_sampler_3d grid_sampler_3d_backward group_norm gru gru_cell gt gt_
        hamming_window hann_window hardshrink hardshrink_backward hardsigmoid hardsigmoid_ hardsigmoid_backward
        hardswish hardswish_ hardswish_backward hardtanh hardtanh_ hardtanh_backward hash_tensor heaviside
        heaviside_ hinge_embedding_loss histc histogram histogramdd hsplit hspmm hstack huber_loss
        huber_loss_backward hypot hypot_ i0 i0_ igamma igamma_ igammac igammac_ im2col imag index index_add
        index_add_ index_copy index_copy_ index_fill index_fill_ index_put index_put_ index_reduce index_reduce_
        index_select index_select_backward indices indices_copy infinitely_differentiable_gelu_backward inner
        instance_norm int_repr inverse is_coalesced is_complex is_conj is_contiguous is_distributed
        is_floating_point is_inference is_leaf is_neg is_nonzero is_pinned is_same_size is_set_to is_signed
        is_vulkan_available isclose isfinite isin isinf isnan isneginf isposinf isreal istft item kaiser_window
        kl_div kron kthvalue l1_loss layer_norm lcm lcm_ ldexp ldexp_ le le_ leaky_relu leaky_relu_
        leaky_relu_backward lerp lerp_ less less_ less_equal less_equal_ lgamma lgamma_ lift lift_fresh
        lift_fresh_copy linalg__powsum linalg_cholesky linalg_cholesky_ex linalg_cond linalg_cross linalg_det
        linalg_diagonal linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh linalg_householder_product
        linalg_inv linalg_inv_ex linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve linalg_lstsq linalg_lu
        linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve linalg_matmul linalg_matrix_exp linalg_matrix_norm
        linalg_matrix_power linalg_matrix_rank linalg_multi_dot linalg_norm linalg_pinv linalg_qr linalg_slogdet
        linalg_solve linalg_solve_ex linalg_solve_triangular linalg_svd linalg_svdvals linalg_tensorinv
        linalg_tensorsolve linalg_vander linalg_vecdot linalg_vector_norm linear linear_backward linspace log
        log10 log10_ log1p log1p_ log2 log2_ log_ log_normal log_normal_ log_sigmoid log_sigmoid_backward
        log_sigmoid_forward log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_and_
        logical_not logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit logit_ logit_backward
        logspace logsumexp lstm lstm_cell lstm_mps_backward lt lt_ lu_solve lu_unpack mH mT margin_ranking_loss
        masked_fill masked_fill_ masked_scatter masked_scatter_ masked_scatter_backward masked_select
        masked_select_backward matmul matmul_backward matrix_H matrix_exp matrix_exp_backward matrix_power max
        max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_backward max_pool2d_with_indices
        max_pool2d_with_indices_backward max_pool3d max_pool3d_with_indices max_pool3d_with_indices_backward
        max_unpool2d max_unpool3d maximum mean median meshgrid min minimum miopen_batch_norm
        miopen_batch_norm_backward miopen_convolution miopen_convolution_add_relu miopen_convolution_relu
        miopen_convolution_transpose miopen_ctc_loss miopen_depthwise_convolution miopen_rnn miopen_rnn_backward
        mish mish_ mish_backward mkldnn_adaptive_avg_pool2d mkldnn_adaptive_avg_pool2d_backward
        mkldnn_convolution mkldnn_linear mkldnn_linear_backward mkldnn_linear_backward_input
        mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool2d_backward mkldnn_max_pool3d
        mkldnn_max_pool3d_backward mkldnn_reorder_conv2d_weight mkldnn_reorder_conv3d_weight mkldnn_rnn_layer
        mkldnn_rnn_layer_backward mm mode moveaxis movedim mps_convolution_backward
        mps_convolution_transpose_backward mse_loss mse_loss_backward msort mul mul_ multi_margin_loss
        multi_margin_loss_backward multilabel_margin_loss multilabel_margin_loss_backward
        multilabel_margin_loss_forward multinomial multiply multiply_ mv mvlgamma mvlgamma_ nan_to_num
        nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy native_batch_norm
        native_batch_norm_backward native_channel_shuffle native_dropout native_dropout_backward
        native_group_norm native_group_norm_backward native_layer_norm native_layer_norm_backward native_norm ne
        ne_ neg neg_ negative negative_ nested_to_padded_tensor new_empty new_empty_strided new_full new_ones
        new_zeros nextafter nextafter_ nll_loss nll_loss2d nll_loss2d_backward nll_loss2d_forward
        nll_loss_backward nll_loss_forward nll_loss_nd nonzero nonzero_numpy nonzero_static norm norm_except_dim
        normal normal_ normal_functional not_equal not_equal_ nuclear_norm numel numpy_T one_hot ones ones_like
        orgqr ormqr outer output_nr pad pad_sequence pairwise_distance pdist permute permute_copy pin_memory
        pinverse pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma polygamma_ positive pow
        pow_ prelu prod promote_types put put_ q_per_channel_axis q_per_channel_scales q_per_channel_zero_points
        q_scale q_zero_point qr qscheme quantile quantize_per_channel quantize_per_tensor
        quantize_per_tensor_dynamic quantized_batch_norm quantized_gru quantized_gru_cell quantized_lstm
        quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d
        quantized_rnn_relu_cell quantized_rnn_tanh_cell rad2deg rad2deg_ rand rand_like randint randint_like
        randn randn_like random random_ randperm range ravel real reciprocal reciprocal_ record_stream
        refine_names reflection_pad1d reflection_pad1d_backward reflection_pad2d reflection_pad2d_backward
        reflection_pad3d reflection_pad3d_backward relu relu6 relu6_ relu_ remainder remainder_ rename rename_
        renorm renorm_ repeat repeat_interleave replication_pad1d replication_pad1d_backward replication_pad2d
        replication_pad2d_backward replication_pad3d replication_pad3d_backward requires_grad_ reshape
        reshape_as resize resize_ resize_as resize_as_ resize_as_sparse resize_as_sparse_ resolve_conj
        resolve_neg result_type retain_grad retains_grad rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell
        roll rot90 round round_ row_indices row_indices_copy row_stack rrelu rrelu_ rrelu_with_noise
        rrelu_with_noise_ rrelu_with_noise_backward rrelu_with_noise_functional rsqrt rsqrt_ rsub scalar_tensor
        scaled_dot_product_attention scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_
        searchsorted segment_reduce select select_backward select_copy select_scatter selu selu_ set set_
        set_data sgn sgn_ sigmoid sigmoid_ sigmoid_backward sign sign_ signbit silu silu_ silu_backward sin sin_
        sinc sinc_ sinh sinh_ size slice slice_backward slice_copy slice_inverse slice_scatter slogdet
        slow_conv3d slow_conv3d_forward slow_conv_dilated2d slow_conv_dilated3d slow_conv_transpose2d
        slow_conv_transpose3d smm smooth_l1_loss smooth_l1_loss_backward soft_margin_loss
        soft_margin_loss_backward softmax softplus softplus_backward softshrink softshrink_backward sort
        sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor
        sparse_csr_tensor sparse_dim sparse_mask sparse_resize sparse_resize_ sparse_resize_and_clear
        sparse_resize_and_clear_ sparse_sampled_addmm special_airy_ai special_bessel_j0 special_bessel_j1
        special_bessel_y0 special_bessel_y1 special_chebyshev_polynomial_t special_chebyshev_polynomial_u
        special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_digamma special_entr special_erf
        special_erfc special_erfcx special_erfinv special_exp2 special_expit special_expm1 special_gammainc
        special_gammaincc special_gammaln special_hermite_polynomial_h special_hermite_polynomial_he special_i0
        special_i0e special_i1 special_i1e special_laguerre_polynomial_l special_legendre_polynomial_p
        special_log1p special_log_ndtr special_log_softmax special_logit special_logsumexp
        special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0
        special_modified_bessel_k1 special_multigammaln special_ndtr special_ndtri special_polygamma special_psi
        special_round special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1
        special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u
        special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w special_sinc
        special_softmax special_spherical_bessel_j0 special_xlog1py special_xlogy special_zeta split split_copy
        split_with_sizes split_with_sizes_copy sqrt sqrt_ square square_ squeeze squeeze_ squeeze_copy sspaddmm
        stack std std_mean stft storage_offset stride sub sub_ subtract subtract_ sum sum_to_size svd swapaxes
        swapaxes_ swapdims swapdims_ sym_constrain_range sym_constrain_range_for_size sym_is_contiguous
        sym_numel sym_size sym_storage_offset sym_stride t t_ t_copy take take_along_dim tan tan_ tanh tanh_
        tanh_backward tensor_split tensordot thnn_conv2d threshold threshold_ threshold_backward tile to
        to_dense to_dense_backward to_mkldnn to_mkldnn_backward to_padded_tensor to_sparse to_sparse_bsc
        to_sparse_bsr to_sparse_csc to_sparse_csr topk trace trace_backward transpose transpose_ transpose_copy
        trapezoid trapz triangular_solve tril tril_ tril_indices triplet_margin_loss triu triu_ triu_indices
        true_divide true_divide_ trunc trunc_ type_as unbind unbind_copy unflatten unflatten_dense_tensors
        unfold unfold_backward unfold_copy uniform uniform_ unique_consecutive unique_dim unique_dim_consecutive
        unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_ unsqueeze_copy upsample_bicubic2d
        upsample_bicubic2d_backward upsample_bilinear2d upsample_bilinear2d_backward upsample_linear1d
        upsample_linear1d_backward upsample_nearest1d upsample_nearest1d_backward upsample_nearest2d
        upsample_nearest2d_backward upsample_nearest3d upsample_nearest3d_backward upsample_trilinear3d
        upsample_trilinear3d_backward value_selecting_reduction_backward values values_copy vander var var_mean
        vdot view view_as view_as_complex view_as_complex_copy view_as_real view_as_real_copy view_copy vsplit
        vstack where xlogy xlogy_ zero zero_ zeros zeros_like
    """,
}
"""By the module, the others being left out: private ones change without notice."""


@functools.cache
def names_in(room: str) -> frozenset[str]:
    """The public names in a module; empty if they are not listed."""
    return frozenset(_NAMES.get(room, "").split())
